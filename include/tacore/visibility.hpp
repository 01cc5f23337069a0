#pragma once

/// Marks what the shared library exports; everything else is hidden.
#define TACORE_EXPORT __attribute__((visibility("default")))
/// Marks a nested type of an exported class that stays inside.
#define TACORE_HIDDEN __attribute__((visibility("hidden")))
