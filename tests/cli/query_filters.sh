# Filters come before the SQL; --level is the level that they test.
show query flat.tacozip 'SELECT id FROM data' --bbox -10,35,5,45
show query flat.tacozip 'SELECT id FROM data' --bbox 170,-30,-170,0
show query flat.tacozip 'SELECT id FROM data' --datetime 2023-02-01/2023-03-01
show query flat.tacozip 'SELECT id FROM data ORDER BY id' --datetime 2023-03-02/..
show query flat.tacozip 'SELECT count(*) AS n FROM data' --bbox -10,35,5,45 --datetime 2023-02-01/2023-12-31
show query cascade_tacocat 'SELECT id FROM data' --level 2 --bbox -10,35,5,45
show query cascade_tacocat 'SELECT id FROM data' --level 2 --datetime 2023-10-01/2023-10-31
show query $examples/landsat_nested.tacozip 'SELECT id FROM data' --level 1 --bbox -34.87,-8.0,-34.85,-7.98
show query nested.tacozip 'SELECT id, cloud_cover FROM level1 WHERE cloud_cover > 6'
show query nested.tacozip --level 7 --bbox 0,0,1,1
