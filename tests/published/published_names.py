"""A plugin of pytest (check.py): names of the published packages that the aliases of the suites do not lead to tacore."""
import _refshim

BRIDGE = {
    "plan": ("plan_export", "plan_zip2folder", "plan_folder2zip"),
    "execute": ("execute",),
    "finalize": ("finalize",),
    "_types": ("CopyTask", "ZipEntry", "ExportPlan", "Zip2FolderPlan", "Folder2ZipPlan"),
}

_refshim.MAPS["tacobridge"].update({module: _refshim.T(*(f"tacore.{name}" for name in names)) for module, names in BRIDGE.items()})
_refshim.MAPS["tacotoolbox"]["tacocat"]["TacoCatWriter"] = "tacore.tacocat.TacoCatWriter"
_refshim.ERR.clear()  # tacore has the errors of plans by their own names
