# Children, a line each; the root without an id.
show ls nested.tacozip
show ls nested asia
show ls cascade_tacocat europe/country_1
show ls cascade_tacocat/TACOLLECTION.json
show ls nested asia --json
show ls nested.tacozip asia/item_0
show ls flat.tacozip madrid
show ls nested.tacozip nope
show ls nested.tacozip asia/nope
show ls nested.tacozip ''
