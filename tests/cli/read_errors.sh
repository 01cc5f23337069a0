# Unknown ids, FOLDERs, wrong containers.
show read flat.tacozip nope
show read nested.tacozip asia/nope
show read nested.tacozip asia/item_0/deeper
show read nested.tacozip asia
show read nested.tacozip asia --vsi
show read nested.tacozip ''
show read nested.tacozip ../nested/COLLECTION.json
