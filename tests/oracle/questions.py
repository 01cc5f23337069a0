"""Filters and SQL by loops over the rows of reader.py, with shapely: what is right, however long it takes."""
import datetime
import math

import pyarrow as pa
import shapely
from shapely import affinity

GEOMETRY = ("istac:geometry", "stac:centroid", "istac:centroid")
TIME = ("istac:time_start", "stac:time_start")


def first_of(data, level, names):
    return next((name for name in names if name in data.types[level]), None)


def shape_of(value):
    """WKB and EWKB, WKT points, [lon, lat]."""
    if value is None:
        return None
    if isinstance(value, str):
        return shapely.from_wkt(value.rpartition(";")[2])  # of "SRID=4326;POINT (1 2)" what is behind
    if isinstance(value, list):
        return shapely.Point(value[:2]) if len(value) > 1 and None not in value[:2] else None
    return shapely.from_wkb(value)


def meets(shape, box):
    """Longitudes count modulo 360; a box with west > east crosses the antimeridian; edges count."""
    if shape is None or shape.is_empty:
        return False
    west, south, east, north = box
    east += 360 if west > east else 0
    window = shapely.box(west, south, east, north)
    return any(shapely.intersects(affinity.translate(shapely.force_2d(shape), 360 * turn, 0), window)
               for turn in range(-3, 4))


def in_box(data, level, box, column=None):
    name = column or first_of(data, level, GEOMETRY)
    return [row for row in data.levels[level] if meets(shape_of(row.values[name]), box)]


def nanoseconds(value, kind):
    """A time of any kind, or None."""
    if value is None:
        return None
    if pa.types.is_timestamp(kind):
        return value
    if pa.types.is_date(kind):
        return value * 86400 * 10 ** 9
    if isinstance(value, str):
        moment = datetime.datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)
        return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1) * 1000
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return int(value * 10 ** 9)  # epochs of our datasets are seconds


def bounds(text):
    """Nanoseconds of "2023-01-01/2023-02-01T10:00:00Z": both ends included, to the microsecond; a day is the whole day."""
    start, _, end = text.partition("/")
    end = end or start

    def moment(one):
        found = datetime.datetime.fromisoformat(one)
        found = found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)
        return (found - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)

    low = -math.inf if start == ".." else moment(start) * 1000
    high = math.inf if end == ".." else moment(end) * 1000 + (86400 * 10 ** 9 - 1 if "T" not in end else 999)
    return low, high


def in_time(data, level, text, column=None):
    name = column or first_of(data, level, TIME)
    low, high = bounds(text)
    kind = data.types[level][name]
    found = ((row, nanoseconds(row.values[name], kind)) for row in data.levels[level])
    return [row for row, moment in found if moment is not None and low <= moment <= high]


def roots_of(data, rows):
    """The samples of level 0 that these rows are, or lie in, in the order of their table."""
    kept = {id(row.root()) for row in rows}
    return [row for row in data.levels[0] if id(row) in kept]


def boxes(rng, data, level):
    """Boxes around what there is, beside it, over the antimeridian, points, and the globe."""
    name = rng.choice([first_of(data, level, GEOMETRY)] + [n for n in GEOMETRY if n in data.types[level]])
    shapes = [shape_of(row.values[name]) for row in data.levels[level]]
    places = [s.centroid for s in shapes if s is not None and not s.is_empty]
    for _ in range(3):
        x, y = (rng.choice(places).coords[0][:2] if places and rng.random() < 0.8
                else (rng.uniform(-180, 180), rng.uniform(-89, 89)))
        width, height = rng.choice([0, 0.1, 1, 5, 40]), rng.choice([0, 0.1, 1, 5])
        west, east = x - width, x + width * rng.random()
        west, east = ((v + 180) % 360 - 180 for v in (west, east))
        yield name, (west, max(-90.0, y - height), east, min(90.0, y + height))
    if rng.random() < 0.3:
        yield name, (-180.0, -90.0, 180.0, 90.0)


def intervals(rng, data, level):
    name = rng.choice([first_of(data, level, TIME)] + [n for n in TIME if n in data.types[level]])
    kind = data.types[level][name]
    found = [nanoseconds(row.values[name], kind) for row in data.levels[level]]
    days = [v // (86400 * 10 ** 9) for v in found if v is not None] or [19000]
    for _ in range(3):
        first = rng.choice(days) + rng.choice([0, 0, 1, -1, -30])
        last = first + rng.choice([0, 0, 1, 30, 200])
        begin, end = (str(datetime.date(1970, 1, 1) + datetime.timedelta(days=day)) for day in (first, last))
        yield name, rng.choice([f"{begin}/{end}", f"{begin}T00:00:01Z/{end}T12:00:00Z", f"../{end}", f"{begin}/..", begin])


def order(value):
    """The order of SQL: NaN is greater than any number, and equal to itself."""
    if isinstance(value, float) and math.isnan(value):
        return (1, 0.0)
    return (0, value)


# SQL and what it means, for a column of numbers `{c}`; null is never kept.
COMPARISONS = {
    "{c} < 50": lambda v: order(v) < order(50.0),
    "{c} <= 50": lambda v: order(v) <= order(50.0),
    "{c} > 50": lambda v: order(v) > order(50.0),
    "{c} >= 50": lambda v: order(v) >= order(50.0),
    "NOT ({c} < 50)": lambda v: order(v) >= order(50.0),
    "{c} BETWEEN 10 AND 50": lambda v: order(10.0) <= order(v) <= order(50.0),
    "{c} = 50": lambda v: order(v) == order(50.0),
    "{c} <> 10": lambda v: order(v) != order(10.0),
    "{c} IN (10, 30, 49.5)": lambda v: v in (10, 30, 49.5),
    "{c} < 1e308 AND {c} > -1e308": lambda v: order(-1e308) < order(v) < order(1e308),
}


def where(data, level, column, meaning):
    return [row for row in data.levels[level] if row.values[column] is not None and meaning(row.values[column])]


def shown_names(names):
    """SQL folds case: of names that differ in nothing else the last by code points keeps its own, whatever their order, the
    one before it is name_1; a column without a name is _1."""
    out, taken = {}, set()
    for name in sorted(names, reverse=True):
        shown, number = name, 0
        while not shown or shown.lower() in taken:
            number += 1
            shown = f"{name}_{number}"
        taken.add(shown.lower())
        out[name] = shown
    return out


def canonical(value):
    """A value that equals what it is the same as: NaN equals NaN, 0.0 is not -0.0, 1 is not 1.0."""
    if isinstance(value, float):
        return ("float", repr(value))
    if isinstance(value, dict):
        return tuple((key, canonical(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(canonical, value))
    return value
