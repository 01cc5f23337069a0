#include "format/zip_records.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/crc32.hpp"
#include "support/bytes.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;
using test::Bytes;

constexpr uint64_t kOnes = 0xFFFFFFFF;

struct Local {
  uint64_t flags = 0;
  uint64_t method = 0;
  uint64_t compressed_size = 16;
  uint64_t size = 16;
  std::string name = "DATA/sample_0";
  Bytes extra = {};
};

Bytes local_header(const Local& in) {
  return Bytes()
      .u32(0x04034b50)  // signature
      .u16(10)
      .u16(in.flags)
      .u16(in.method)  // version needed, flags, method
      .u16(0xA423)
      .u16(0x5B9E)      // time, date
      .u32(0x416DA9B5)  // CRC-32
      .u32(in.compressed_size)
      .u32(in.size)
      .u16(in.name.size())
      .u16(in.extra.size())
      .text(in.name)
      .add(in.extra.span());
}

struct Central {
  uint64_t flags = 0;
  uint64_t method = 0;
  uint64_t compressed_size = 16;
  uint64_t size = 16;
  uint64_t offset = 157;
  std::string name = "DATA/sample_0";
  Bytes extra = {};
  std::string comment = {};
};

Bytes central_header(const Central& in) {
  return Bytes()
      .u32(0x02014b50)  // signature
      .u16(0x033F)
      .u16(10)  // made by, needed
      .u16(in.flags)
      .u16(in.method)
      .u16(0xA423)
      .u16(0x5B9E)      // time, date
      .u32(0x416DA9B5)  // CRC-32
      .u32(in.compressed_size)
      .u32(in.size)
      .u16(in.name.size())
      .u16(in.extra.size())
      .u16(in.comment.size())
      .u16(0)
      .u16(0)
      .u32(0x81B40000)  // disk, internal and external attributes
      .u32(in.offset)
      .text(in.name)
      .add(in.extra.span())
      .text(in.comment);
}

struct End {
  uint64_t disk = 0;
  uint64_t directory_disk = 0;
  uint64_t num_entries_here = 1;
  uint64_t num_entries = 1;
  uint64_t size = 59;
  uint64_t offset = 1000;
  std::string comment = {};
};

Bytes end_record(const End& in) {
  return Bytes()
      .u32(0x06054b50)
      .u16(in.disk)
      .u16(in.directory_disk)
      .u16(in.num_entries_here)
      .u16(in.num_entries)
      .u32(in.size)
      .u32(in.offset)
      .u16(in.comment.size())
      .text(in.comment);
}

Bytes end64_record(const End& in, uint64_t record_size = 44) {
  return Bytes()
      .u32(0x06064b50)
      .u64(record_size)
      .u16(45)
      .u16(45)  // made by, needed
      .u32(in.disk)
      .u32(in.directory_disk)
      .u64(in.num_entries_here)
      .u64(in.num_entries)
      .u64(in.size)
      .u64(in.offset);
}

Bytes locator(uint64_t record_offset, uint64_t disk = 0, uint64_t num_disks = 1) {
  return Bytes().u32(0x07064b50).u32(disk).u64(record_offset).u32(num_disks);
}

const End kAllOnes = {.num_entries_here = 0xFFFF, .num_entries = 0xFFFF, .size = kOnes, .offset = kOnes};

/// The tail of an archive whose directory of 59 bytes, at 1000, is followed by `records`.
Bytes tail_with(const Bytes& records) { return central_header({}).add(records.span()); }

zip::Directory find_in(const Bytes& tail) { return zip::find_directory(tail.span(), 1000); }

TEST_CASE("a local file header is parsed field by field") {
  Bytes bytes = local_header({.flags = 0x0800});
  bytes.text("content_valencia");
  const auto header = zip::parse_local_header(bytes.span(), 157);
  CHECK(header.version_needed == 10);
  CHECK(header.flags == 0x0800);
  CHECK(header.method == 0);
  CHECK(header.time == 0xA423);
  CHECK(header.date == 0x5B9E);
  CHECK(header.crc32 == 0x416DA9B5);
  CHECK(header.compressed_size == 16);
  CHECK(header.size == 16);
  CHECK(header.name == "DATA/sample_0");
  CHECK(header.header_size == 43);
}

TEST_CASE("a local file header reads its sizes from the ZIP64 extra field") {
  const Bytes zip64 = Bytes().u16(1).u16(16).u64(5000000000).u64(5000000000);
  struct Case {
    std::string name;
    Local in;
    uint64_t size;
  };
  const Case cases[] = {
      {"alone", {.compressed_size = kOnes, .size = kOnes, .extra = zip64}, 5000000000},
      {"after another field",
       {.compressed_size = kOnes, .size = kOnes, .extra = Bytes().u16(0x5455).u16(5).zeros(5).add(zip64.span())},
       5000000000},
      {"not needed", {.extra = zip64}, 16},
      {"not needed and malformed", {.extra = Bytes().u16(1).u16(99)}, 16},
      {"empty, for exactly FFFFFFFF bytes",
       {.compressed_size = kOnes, .size = kOnes, .extra = Bytes().u16(1).u16(0)},
       kOnes},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto header = zip::parse_local_header(local_header(c.in).span(), 0);
    CHECK(header.size == c.size);
    CHECK(header.compressed_size == c.size);
    CHECK(header.header_size == 43 + c.in.extra.size());
  }
}

TEST_CASE("the ZIP64 extra field holds only the sizes that are 0xFFFFFFFF, the original size first") {
  const Bytes both = Bytes().u16(1).u16(16).u64(6000000000).u64(5000000000);
  const Local two_in = {.method = 8, .compressed_size = kOnes, .size = kOnes, .extra = both};
  const auto two = zip::parse_local_header(local_header(two_in).span(), 0);
  CHECK(two.size == 6000000000);
  CHECK(two.compressed_size == 5000000000);
  const Bytes single = Bytes().u16(1).u16(8).u64(6000000000);
  const Local one_in = {.method = 8, .compressed_size = 7, .size = kOnes, .extra = single};
  const auto one = zip::parse_local_header(local_header(one_in).span(), 0);
  CHECK(one.size == 6000000000);
  CHECK(one.compressed_size == 7);
}

TEST_CASE("a broken local file header is refused with the fault and its byte") {
  struct Case {
    std::string name;
    Bytes bytes;
    const char* words;
  };
  const auto ones_with = [](const Bytes& extra) {
    return local_header({.compressed_size = kOnes, .size = kOnes, .extra = extra});
  };
  const Case cases[] = {
      {"nothing", Bytes(), "local header is truncated: needs 4 more bytes, found 0 (byte 157)"},
      {"cut", local_header({}).cut_to(29), "truncated: needs 2 more bytes, found 1 (byte 185)"},
      {"signature", central_header({}), "local header: signature is 0x02014b50, expected 0x04034b50 (byte 157)"},
      {"name cut", local_header({}).cut_to(42), "needs 13 more bytes, found 12 (byte 187)"},
      {"name longer than all", local_header({}).patch(26, Bytes().u16(0xFFFF)), "needs 65535 more bytes"},
      {"extra longer than all", local_header({}).patch(28, Bytes().u16(0xFFFF)),
       "needs 65535 more bytes, found 0 (byte 200)"},
      {"no ZIP64 field", ones_with({}), "without ZIP64 extra field (byte 200)"},
      {"other extra field", ones_with(Bytes().u16(2).u16(0)), "without ZIP64 extra field"},
      {"half a ZIP64 field", ones_with(Bytes().u16(1).u16(8).u64(5)),
       "ZIP64 extra field is truncated: needs 8 more bytes, found 0 (byte 212)"},
      {"extra field past its area", ones_with(Bytes().u16(2).u16(1)),
       "extra field is truncated: needs 1 more bytes, found 0 (byte 204)"},
      {"stored with two sizes", local_header({.compressed_size = 15}),
       "stored entry has size 16 but compressed size 15 (byte 157)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK_THROWS_WITH_AS(zip::parse_local_header(c.bytes.span(), 157), doctest::Contains(c.words), FormatError);
  }
  CHECK_THROWS_WITH_AS(zip::parse_local_header(local_header({}).span(), UINT64_MAX), doctest::Contains("overflows"),
                       FormatError);
}

TEST_CASE("a central directory entry is parsed field by field") {
  const Bytes bytes = central_header({.comment = "remark"});
  const zip::Directory where = {.offset = 8689, .size = bytes.size(), .num_entries = 1};
  const auto entries = zip::parse_directory(bytes.span(), where);
  REQUIRE(entries.size() == 1);
  const auto& entry = entries[0];
  CHECK(entry.version_made_by == 0x033F);
  CHECK(entry.version_needed == 10);
  CHECK(entry.flags == 0);
  CHECK(entry.method == 0);
  CHECK(entry.time == 0xA423);
  CHECK(entry.date == 0x5B9E);
  CHECK(entry.crc32 == 0x416DA9B5);
  CHECK(entry.compressed_size == 16);
  CHECK(entry.size == 16);
  CHECK(entry.external_attributes == 0x81B40000);
  CHECK(entry.name == "DATA/sample_0");
  CHECK(entry.local_offset == 157);
  CHECK(entry.record_offset == 8689);
  CHECK(entry.disk == 0);
  CHECK(entry.comment_size == 6);
  CHECK_FALSE(entry.has_odd_zip64);
}

TEST_CASE("a ZIP64 extra field that is repeated or has surplus values is flagged as odd") {
  const Bytes one = Bytes().u16(1).u16(8).u64(7), two = Bytes().u16(1).u16(16).u64(7).u64(7);
  const Bytes empty = Bytes().u16(1).u16(0), foreign = Bytes().u16(9).u16(1).u8(0);
  const auto twice = [](Bytes bytes) { return Bytes(bytes).add(bytes.span()); };
  const auto central = [](const Bytes& extra, uint64_t size, uint64_t offset) {
    const Bytes bytes = central_header({.compressed_size = size, .size = size, .offset = offset, .extra = extra});
    return zip::parse_directory(bytes.span(), {.offset = 5000, .size = bytes.size(), .num_entries = 1})[0]
        .has_odd_zip64;
  };
  CHECK_FALSE(central({}, 16, 157));
  CHECK_FALSE(central(foreign, 16, 157));
  CHECK_FALSE(central(one, 16, kOnes));
  CHECK_FALSE(central(two, kOnes, 157));
  CHECK_FALSE(central(Bytes(foreign).add(two.span()), kOnes, 157));
  CHECK(central(one, 16, 157));
  CHECK(central(empty, 16, 157));
  CHECK(central(two, 16, kOnes));
  CHECK(central(twice(one), 16, kOnes));
  CHECK(central(twice(two), kOnes, 157));

  const auto local = [](const Bytes& extra, uint64_t size) {
    const auto found =
        zip::parse_local_header(local_header({.compressed_size = size, .size = size, .extra = extra}).span(), 0);
    CHECK(found.has_foreign_extra == (extra.size() == 5));
    return found.has_odd_zip64;
  };
  CHECK_FALSE(local({}, 16));
  CHECK_FALSE(local(foreign, 16));
  CHECK_FALSE(local(two, kOnes));
  CHECK_FALSE(local(empty, kOnes));
  CHECK(local(two, 16));
  CHECK(local(twice(two), kOnes));
}

TEST_CASE("a central directory entry reads values of 0xFFFFFFFF from the ZIP64 extra field") {
  constexpr uint64_t kBig = 5000000000;
  struct Case {
    std::string name;
    Central in;
    uint64_t size, offset;
  };
  const Case cases[] = {
      {"sizes",
       {.compressed_size = kOnes, .size = kOnes, .extra = Bytes().u16(1).u16(16).u64(kBig).u64(kBig)},
       kBig,
       157},
      {"offset", {.offset = kOnes, .extra = Bytes().u16(1).u16(8).u64(kBig)}, 16, kBig},
      {"all three",
       {.compressed_size = kOnes,
        .size = kOnes,
        .offset = kOnes,
        .extra = Bytes().u16(1).u16(24).u64(kBig).u64(kBig).u64(7)},
       kBig,
       7},
      {"empty, for exactly FFFFFFFF bytes",
       {.compressed_size = kOnes, .size = kOnes, .extra = Bytes().u16(1).u16(0)},
       kOnes,
       157},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Bytes bytes = central_header(c.in);
    const zip::Directory where = {.offset = 3 * kBig, .size = bytes.size(), .num_entries = 1};
    const auto entries = zip::parse_directory(bytes.span(), where);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].size == c.size);
    CHECK(entries[0].compressed_size == c.size);
    CHECK(entries[0].local_offset == c.offset);
  }
}

TEST_CASE("compressed and encrypted entries are listed") {
  const Bytes bytes = central_header({.method = 8, .compressed_size = 5})
                          .add(central_header({.flags = 1, .compressed_size = 28}).span());
  const zip::Directory where = {.offset = 300, .size = bytes.size(), .num_entries = 2};
  CHECK(zip::parse_directory(bytes.span(), where).size() == 2);
}

TEST_CASE("a broken central directory is refused with the fault and its byte") {
  const Bytes good = central_header({});  // 59 bytes
  struct Case {
    std::string name;
    Bytes bytes;
    uint64_t num_entries;
    const char* words;
  };
  const Case cases[] = {
      {"fewer entries than told", good, 2, "59 bytes, expected 59 for 2 entries (byte 1000)"},
      {"far fewer", good, UINT64_MAX, "expected 59 for 18446744073709551615 entries"},
      {"fewer entries than would fit", central_header({.comment = std::string(46, 'x')}), 2,
       "1 of 2 entries, then 0 bytes (byte 1105)"},
      {"more entries than told", central_header({}).add(good.span()), 1, "1 of 1 entries, then 59 bytes (byte 1059)"},
      {"more than none", good, 0, "0 of 0 entries, then 59 bytes (byte 1000)"},
      {"bytes after the last", central_header({}).zeros(1), 1, "then 1 bytes"},
      {"signature", local_header({}).zeros(20), 1, "signature is 0x04034b50, expected 0x02014b50"},
      {"name past the end", central_header({}).patch(28, Bytes().u16(14)), 1,
       "central directory is truncated: needs 14 more bytes, found 13 (byte 1046)"},
      {"extra past the end", central_header({}).patch(30, Bytes().u16(1)), 1, "needs 1 more bytes"},
      {"comment past the end", central_header({}).patch(32, Bytes().u16(65535)), 1, "needs 65535 more bytes"},
      {"payload reaches the directory", central_header({.compressed_size = 801, .size = 801}), 1,
       "entry 'DATA/sample_0' of 801 bytes at 157 overlaps the central directory at 1000"},
      {"offset past the directory", central_header({.offset = 2000}), 1, "overlaps the central directory"},
      {"offset that overflows", central_header({.offset = kOnes, .extra = Bytes().u16(1).u16(8).u64(UINT64_MAX)}), 1,
       "overflows"},
      {"size that overflows",
       central_header(
           {.compressed_size = kOnes, .size = kOnes, .extra = Bytes().u16(1).u16(16).u64(UINT64_MAX).u64(UINT64_MAX)}),
       1, "overflows"},
      {"no ZIP64 field", central_header({.offset = kOnes}), 1, "without ZIP64 extra field"},
      {"ZIP64 field too short", central_header({.size = kOnes, .offset = kOnes, .extra = Bytes().u16(1).u16(8).u64(1)}),
       1, "ZIP64 extra field is truncated"},
      {"stored with two sizes", central_header({.size = 17}), 1,
       "stored entry has size 17 but compressed size 16 (byte 1000)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const zip::Directory where = {.offset = 1000, .size = c.bytes.size(), .num_entries = c.num_entries};
    CHECK_THROWS_WITH_AS(zip::parse_directory(c.bytes.span(), where), doctest::Contains(c.words), FormatError);
  }
  CHECK_THROWS_AS(zip::parse_directory(good.span(), {.offset = 1000, .size = 58, .num_entries = 1}), FormatError);
}

TEST_CASE("an empty central directory has no entries") { CHECK(zip::parse_directory({}, {.offset = 1000}).empty()); }

TEST_CASE("the trailing entries of a truncated central directory are those that are complete") {
  const std::string trap = "PK\1\2" + std::string(60, 'x');  // a comment that begins as an entry does
  const Bytes parts[] = {central_header({}), central_header({.comment = trap}), central_header({.comment = "remark"})};
  Bytes all;
  std::vector<std::size_t> begins;
  for (const Bytes& part : parts) {
    begins.push_back(all.size());
    all.add(part.span());
  }
  const zip::Directory where = {.offset = 1000, .size = all.size(), .num_entries = 3};
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    CAPTURE(cut);
    const auto found = zip::last_entries(all.span().subspan(cut), where);
    const auto first = std::lower_bound(begins.begin(), begins.end(), cut) - begins.begin();
    REQUIRE(found.size() == static_cast<std::size_t>(std::ssize(begins) - first));
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].record_offset == 1000 + begins[static_cast<std::size_t>(first) + i]);
      CHECK(found[i].name == "DATA/sample_0");
    }
  }
  const Bytes tail = Bytes(all).zeros(1);
  CHECK(zip::last_entries(tail.span(), {.offset = 1000, .size = tail.size(), .num_entries = 3}).empty());
}

TEST_CASE("the end record gives the range of the central directory") {
  const auto found = find_in(tail_with(end_record({})));
  CHECK(found.offset == 1000);
  CHECK(found.size == 59);
  CHECK(found.num_entries == 1);
  CHECK_FALSE(found.zip64);
  CHECK(found.end_offset == 1059);
}

TEST_CASE("the end record is found before a comment of any length") {
  for (const std::size_t size : {1U, 20U, 1000U, 65535U}) {
    CAPTURE(size);
    const Bytes tail = tail_with(end_record({.comment = std::string(size, 'c')}));
    CHECK(find_in(tail).end_offset == 1059);
  }
}

TEST_CASE("the last end record whose comment ends with the file is used") {
  const std::string inner(test::as_text(end_record({.size = 58, .offset = 1001}).span()));
  CHECK(find_in(tail_with(end_record({.comment = inner}))).offset == 1001);
  // One byte after it, so its comment does not fit and the outer record counts.
  CHECK(find_in(tail_with(end_record({.comment = inner + "x"}))).offset == 1000);
}

TEST_CASE("other candidates for the end record are found, before it and in its comment") {
  const auto other = [](const Bytes& tail) {
    const auto found = find_in(tail);
    return zip::other_end_record(tail.span(), 1000, found);
  };
  const std::string inner(test::as_text(end_record({.size = 58, .offset = 1001}).span()));
  CHECK_FALSE(other(tail_with(end_record({}))));
  CHECK_FALSE(other(tail_with(end_record({.comment = "made by x"}))));
  // The inner one counts; a reader that goes forwards takes the outer one.
  CHECK(other(tail_with(end_record({.comment = inner}))) == 1059);
  CHECK(other(tail_with(end_record({.comment = inner + "x"}))) == 1059 + 22);
  CHECK(other(tail_with(end_record({.comment = "PK\5\6"}))) == 1059 + 22);
  // In a payload, say of a ZIP in the ZIP: only one that reaches to the end.
  const auto before = [&](std::size_t comment) {
    Bytes bytes = end_record({.comment = std::string(comment, 'c')}).cut_to(22);
    return other(tail_with(bytes.add(end_record({}).span())));
  };
  CHECK_FALSE(before(0));
  CHECK_FALSE(before(21));
  CHECK(before(22).has_value());
}

TEST_CASE("an archive of only an end record is empty") {
  const Bytes bytes = end_record({.num_entries_here = 0, .num_entries = 0, .size = 0, .offset = 0});
  CHECK(zip::find_directory(bytes.span(), 0).num_entries == 0);
}

TEST_CASE("the ZIP64 end record is used, whether the 32-bit record has 0xFFFF markers or values") {
  for (const End& end : {kAllOnes, End{}, End{.size = kOnes}, End{.disk = 0xFFFF}}) {
    const Bytes tail = tail_with(end64_record({}).add(locator(1059).span()).add(end_record(end).span()));
    const auto found = find_in(tail);
    CHECK(found.offset == 1000);
    CHECK(found.size == 59);
    CHECK(found.num_entries == 1);
    CHECK(found.zip64);
    CHECK(found.end64_offset == 1059);
    CHECK(found.end_offset == 1059 + 56 + 20);
  }
}

TEST_CASE("a ZIP64 end record may have a variable part") {
  const Bytes tail =
      tail_with(end64_record({}, 44 + 10).zeros(10).add(locator(1059).span()).add(end_record(kAllOnes).span()));
  CHECK(find_in(tail).size == 59);
}

TEST_CASE("a ZIP64 end record before the tail is requested by its offset") {
  const Bytes archive = end64_record({.num_entries_here = 0, .num_entries = 0, .size = 0, .offset = 1000})
                            .add(locator(1000).span())
                            .add(end_record(kAllOnes).span());
  for (uint64_t start = 0; start <= archive.size() - zip::kEndRecordSize; ++start) {
    CAPTURE(start);
    const auto tail = archive.span().subspan(start);
    if (start == 0) {
      CHECK(zip::find_directory(tail, 1000).zip64);
      continue;
    }
    CHECK_THROWS_WITH_AS(zip::find_directory(tail, 1000 + start), doctest::Contains("before the bytes that were read"),
                         FormatError);
    try {
      zip::find_directory(tail, 1000 + start);
    } catch (const FormatError& error) {
      CHECK(error.context().offset.value() < 1000 + start);
    }
  }
}

TEST_CASE("an archive without a usable end record is refused with the fault and its byte") {
  const Bytes end64 = end64_record({});
  const auto with64 = [](const Bytes& record, const Bytes& where, const End& end) {
    return tail_with(Bytes().add(record.span()).add(where.span()).add(end_record(end).span()));
  };
  struct Case {
    std::string name;
    Bytes tail;
    const char* words;
  };
  const Case cases[] = {
      {"nothing", Bytes(), "no end of central directory record in the last 0 bytes (byte 1000)"},
      {"too short", end_record({}).cut_to(21), "no end of central directory record"},
      {"no signature", Bytes().zeros(100), "no end of central directory record"},
      {"cut comment", tail_with(end_record({.comment = "remark"}).cut_to(27)), "no end of central directory record"},
      {"bytes after the comment", tail_with(end_record({}).zeros(1)), "no end of central directory record"},
      {"comment too long", tail_with(end_record({}).zeros(65536)),
       "no end of central directory record in the last 65557 bytes"},
      {"several disks", tail_with(end_record({.disk = 1})), "split over several files (byte 1059)"},
      {"directory on another disk", tail_with(end_record({.directory_disk = 1})), "split over"},
      {"part of the entries here", tail_with(end_record({.num_entries = 2})), "split over"},
      {"directory past the end record", tail_with(end_record({.size = 60})),
       "central directory of 60 bytes at 1000 passes its end record at 1059 (byte 1059)"},
      {"directory starts past it", tail_with(end_record({.offset = 1060})), "passes its end record"},
      {"more entries than fit", tail_with(end_record({.num_entries_here = 2, .num_entries = 2})),
       "of 59 bytes cannot hold 2 entries"},
      {"FFFFFFFF without ZIP64", tail_with(end_record({.offset = kOnes})), "FFFFFFFF without ZIP64 record (byte 1059)"},
      {"size FFFFFFFF without ZIP64", tail_with(end_record({.size = kOnes})), "without ZIP64"},
      {"ZIP64 record elsewhere", with64(end64, locator(1058), kAllOnes),
       "signature is 0x064b5030, expected 0x06064b50 (byte 1058)"},
      {"ZIP64 record past its locator", with64(end64, locator(1116), kAllOnes),
       "ZIP64 locator points at byte 1116, past itself (byte 1115)"},
      {"ZIP64 record at the end of numbers", with64(end64, locator(UINT64_MAX), kAllOnes),
       "points at byte 18446744073709551615"},
      {"ZIP64 record cut by its locator", with64(Bytes().add(end64.part(0, 55)), locator(1059), kAllOnes),
       "size is 44, expected 44 to 43"},
      {"ZIP64 record too small", with64(end64_record({}, 43), locator(1059), kAllOnes),
       "size is 43, expected 44 to 44 (byte 1059)"},
      {"ZIP64 record too large", with64(end64_record({}, UINT64_MAX), locator(1059), kAllOnes),
       "size is 18446744073709551615, expected 44 to 44"},
      {"ZIP64 record on another disk", with64(end64, locator(1059, 1), kAllOnes), "split over"},
      {"two disks", with64(end64, locator(1059, 0, 2), kAllOnes), "split over"},
      {"ZIP64 directory on another disk",
       with64(end64_record({.directory_disk = 1}), locator(1059), {.directory_disk = 0xFFFF}), "split over"},
      {"the two disagree on the offset", with64(end64, locator(1059), {.offset = 999}),
       "the two end of central directory records disagree (byte 1135)"},
      {"the two disagree on the count", with64(end64, locator(1059), {.num_entries_here = 0, .num_entries = 0}),
       "disagree"},
      {"ZIP64 directory past its end", with64(end64_record({.size = UINT64_MAX}), locator(1059), kAllOnes),
       "passes its end record"},
      {"ZIP64 directory that overflows", with64(end64_record({.offset = UINT64_MAX}), locator(1059), kAllOnes),
       "passes its end record"},
      {"ZIP64 count that is huge",
       with64(end64_record({.num_entries_here = UINT64_MAX, .num_entries = UINT64_MAX}), locator(1059), kAllOnes),
       "cannot hold 18446744073709551615 entries"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK_THROWS_WITH_AS(find_in(c.tail), doctest::Contains(c.words), FormatError);
  }
  CHECK_THROWS_WITH_AS(zip::find_directory(end_record({}).span(), UINT64_MAX), "archive size overflows", FormatError);
}

TEST_CASE("65535 entries need no ZIP64 record") {
  const Bytes entry = central_header({.compressed_size = 0, .size = 0, .offset = 0, .name = "a"});
  Bytes archive = local_header({.compressed_size = 0, .size = 0, .name = "a"});
  for (int i = 0; i < 65535; ++i) archive.add(entry.span());
  const uint64_t size = 65535 * entry.size();
  archive.add(end_record({.num_entries_here = 0xFFFF, .num_entries = 0xFFFF, .size = size, .offset = 31}).span());
  const auto where = zip::find_directory(archive.span(), 0);
  CHECK_FALSE(where.zip64);
  CHECK(where.num_entries == 65535);
  CHECK(zip::parse_directory(archive.part(where.offset, where.size), where).size() == 65535);
}

/// An archive with ZIP64 extras in both headers although it is small, which is legal.
Bytes zip64_archive() {
  const Bytes sizes = Bytes().u16(1).u16(16).u64(4).u64(4);
  const Bytes all = Bytes().u16(1).u16(24).u64(4).u64(4).u64(0);
  const Local local = {.compressed_size = kOnes, .size = kOnes, .name = "a/b", .extra = sizes};
  Bytes out = local_header(local);
  out.text("data");
  const uint64_t directory = out.size();
  const Bytes entry =
      central_header({.compressed_size = kOnes, .size = kOnes, .offset = kOnes, .name = "a/b", .extra = all});
  out.add(entry.span());
  const uint64_t end64 = out.size();
  return out.add(end64_record({.size = entry.size(), .offset = directory}).span())
      .add(locator(end64).span())
      .add(end_record(kAllOnes).span());
}

TEST_CASE("an archive with ZIP64 in every record gives its payload") {
  const Bytes archive = zip64_archive();
  const auto where = zip::find_directory(archive.span(), 0);
  CHECK(where.zip64);
  const auto entries = zip::parse_directory(archive.part(where.offset, where.size), where);
  REQUIRE(entries.size() == 1);
  const auto header = zip::parse_local_header(archive.span().subspan(entries[0].local_offset), 0);
  CHECK(header.size == entries[0].size);
  const uint64_t payload = entries[0].local_offset + header.header_size;
  CHECK(payload == 53);
  CHECK(test::as_text(archive.part(payload, header.size)) == "data");
  CHECK(zip::is_local_header_of(archive.part(0, payload), "a/b"));
}

TEST_CASE("the local file header before a payload is recognised, with and without a ZIP64 extra field") {
  const Bytes zip64 = Bytes().u16(1).u16(16).u64(16).u64(16);
  const Bytes plain = local_header({});
  CHECK(zip::is_local_header_of(plain.span(), "DATA/sample_0"));
  CHECK(zip::is_local_header_of(local_header({.extra = zip64}).span(), "DATA/sample_0"));
  CHECK(zip::is_local_header_of(Bytes().zeros(20).add(plain.span()).span(), "DATA/sample_0"));
  CHECK(zip::is_local_header_of(local_header({.name = ""}).span(), ""));
}

TEST_CASE("the local file header before a payload states its size, unless it has a data descriptor") {
  const std::string name = "DATA/sample_0";
  const Bytes plain = local_header({}).patch(22, Bytes().u32(16));
  CHECK(zip::is_local_header_of(plain.span(), name, 16));
  CHECK_FALSE(zip::is_local_header_of(plain.span(), name, 15));
  CHECK_FALSE(zip::is_local_header_of(plain.span(), name, 0));
  const Bytes wide = local_header({.extra = Bytes().u16(1).u16(16).u64(16).u64(16)}).patch(22, Bytes().u32(0xFFFFFFFF));
  CHECK(zip::is_local_header_of(wide.span(), name, 16));
  CHECK_FALSE(zip::is_local_header_of(wide.span(), name, 0xFFFFFFFF));
  const Bytes later = local_header({}).patch(6, Bytes().u16(8)).patch(18, Bytes().u64(0));
  CHECK(zip::is_local_header_of(later.span(), name, 16));
}

TEST_CASE("other bytes before a payload are not recognised as its local file header") {
  struct Case {
    std::string name;
    Bytes before;
  };
  const auto zip64 = [] { return Bytes().u16(1).u16(16).u64(16).u64(16); };
  const Case cases[] = {
      {"nothing", Bytes()},
      {"name alone", Bytes().text("DATA/sample_0")},
      {"a byte short", Bytes().add(local_header({}).part(1, 42))},
      {"zeros", Bytes().zeros(100)},
      {"signature", local_header({}).patch(0, Bytes().u32(0x02014b50))},
      {"another name", local_header({.name = "DATA/sample_1"})},
      {"name in another case", local_header({.name = "data/sample_0"})},
      {"name length too small", local_header({}).patch(26, Bytes().u16(12))},
      {"name length too large", local_header({}).patch(26, Bytes().u16(33))},
      {"name that ends the same", local_header({.name = "x/DATA/sample_0"})},
      {"extra length without extra", local_header({}).patch(28, Bytes().u16(20))},
      {"extra without extra length", local_header({.extra = zip64()}).patch(28, Bytes().u16(0))},
      {"extra of another kind", local_header({.extra = Bytes().u16(2).u16(16).zeros(16)})},
      {"extra of another length", local_header({.extra = Bytes().u16(1).u16(17).zeros(16)})},
      {"shorter ZIP64 extra", local_header({.extra = Bytes().u16(1).u16(8).u64(16)})},
      {"payload between", local_header({}).text("c")},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK_FALSE(zip::is_local_header_of(c.before.span(), "DATA/sample_0"));
  }
  CHECK_FALSE(zip::is_local_header_of(local_header({}).span(), std::string(70000, 'a')));
}

/// All records that a reader of the archive parses.
std::vector<zip::CentralEntry> read_archive(std::span<const std::byte> archive) {
  const auto where = zip::find_directory(archive, 0);
  const auto entries = zip::parse_directory(archive.subspan(where.offset, where.size), where);
  for (const auto& entry : entries) {
    zip::parse_local_header(archive.subspan(entry.local_offset), entry.local_offset);
  }
  return entries;
}

TEST_CASE("archives of the reference implementation are read whole" * doctest::test_suite("external")) {
  for (const std::string name : {"flat.tacozip", "nested.tacozip", "simple.tacozip"}) {
    CAPTURE(name);
    if (missing(published("zip/" + name))) continue;
    const Bytes file = test::golden_zip(name);
    uint64_t end = 0;
    for (const auto& entry : read_archive(file.span())) {
      CAPTURE(entry.name);
      CHECK(entry.local_offset == end);
      const auto rest = file.span().subspan(entry.local_offset);
      const auto header = zip::parse_local_header(rest, entry.local_offset);
      CHECK(header.name == entry.name);
      CHECK(header.size == entry.size);
      CHECK(header.crc32 == entry.crc32);
      CHECK(crc32(rest.subspan(header.header_size, header.size)) == entry.crc32);
      const uint64_t payload = entry.local_offset + header.header_size;
      CHECK(zip::is_local_header_of(file.part(0, payload), entry.name));
      CHECK_FALSE(zip::is_local_header_of(file.part(0, payload - 1), entry.name));
      end = payload + entry.size;
    }
    CHECK(end == zip::find_directory(file.span(), 0).offset);
  }
}

TEST_CASE("flat.tacozip has the central directory of the specification's worked example" *
          doctest::test_suite("external")) {
  if (missing(published("zip/flat.tacozip"))) return;
  const Bytes file = test::golden_zip("flat.tacozip");
  const auto where = zip::find_directory(file.part(9193 - 100, 100), 9193 - 100);
  CHECK(where.offset == 8689);
  CHECK(where.size == 482);
  CHECK(where.num_entries == 8);
  CHECK(where.end_offset == 9171);
  CHECK_FALSE(where.zip64);
  const struct {
    std::string name;
    uint64_t offset, size;
  } expected[] = {
      {"TACO_HEADER", 0, 116},
      {"DATA/sample_0", 157, 16},
      {"DATA/sample_1", 216, 13},
      {"DATA/sample_2", 272, 11},
      {"DATA/sample_3", 326, 13},
      {"DATA/sample_4", 382, 12},
      {"METADATA/level0.parquet", 437, 5703},
      {"COLLECTION.json", 6193, 2451},
  };
  const auto entries = zip::parse_directory(file.part(8689, 482), where);
  REQUIRE(entries.size() == 8);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CHECK(entries[i].name == expected[i].name);
    CHECK(entries[i].local_offset == expected[i].offset);
    CHECK(entries[i].size == expected[i].size);
    CHECK(entries[i].external_attributes == (i == 0 ? 0x01A40000 : 0x81B40000));
  }
}

TEST_CASE("verification by local file header distinguishes a wrong offset from the right one" *
          doctest::test_suite("external")) {
  if (missing(published("zip/nested.tacozip"))) return;
  const Bytes file = test::golden_zip("nested.tacozip");
  // The stored offset of this row belongs to another sample.
  CHECK_FALSE(zip::is_local_header_of(file.part(0, 390), "DATA/europe/item_0"));
  CHECK(zip::is_local_header_of(file.part(0, 205), "DATA/europe/item_0"));
}

TEST_CASE("a truncated archive is refused at every length") {
  const Bytes archive = zip64_archive();
  for (std::size_t size = 0; size < archive.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(read_archive(archive.span().first(size)), FormatError);
  }
}

TEST_CASE("an archive with any bytes changed is parsed or refused with FormatError") {
  std::mt19937 random(1);
  const Bytes archive = zip64_archive();
  for (int round = 0; round < 20000; ++round) {
    Bytes broken = archive;
    for (int i = 0; i <= round % 4; ++i) {
      broken.patch(random() % archive.size(), Bytes().u8(random() % 3 == 0 ? 255 : random()));
    }
    try {
      read_archive(broken.span());
      zip::is_local_header_of(broken.span(), "a/b");
    } catch (const FormatError&) {}
  }
}

}  // namespace
