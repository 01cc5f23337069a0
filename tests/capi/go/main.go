// A program in Go, which has no package of ours: it opens a dataset, filters it, and reads rows and pixels by tacore.h.
//
//	main ROOT
package main

// #include <stdlib.h>
// #include "tacore.h"
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

func check(status C.tacore_status, err *C.tacore_error) {
	if status != C.TACORE_OK {
		panic(C.GoString(C.tacore_error_text(err)))
	}
}

func main() {
	path, query := C.CString(os.Args[1]+"/examples/data/landsat.tacozip"), C.CString("SELECT * FROM data WHERE water > 0.1")
	defer C.free(unsafe.Pointer(path))
	defer C.free(unsafe.Pointer(query))
	var dataset, wet *C.tacore_dataset
	var rows *C.tacore_frame
	var raster *C.tacore_raster
	var ipc *C.tacore_buffer
	var err *C.tacore_error
	check(C.tacore_open(&path, 1, nil, &dataset, &err), err)
	defer C.tacore_dataset_free(dataset)
	check(C.tacore_dataset_sql(dataset, query, &wet, &err), err)
	defer C.tacore_dataset_free(wet)
	check(C.tacore_dataset_rows(wet, 0, &rows, &err), err)
	defer C.tacore_frame_free(rows)
	check(C.tacore_frame_ipc(rows, C.TACORE_PLAIN, &ipc, &err), err)
	defer C.tacore_buffer_free(ipc)
	check(C.tacore_raster_open(rows, 0, nil, &raster, &err), err)
	defer C.tacore_raster_free(raster)
	pixels := make([]byte, 6*64*64)
	check(C.tacore_raster_read(raster, nil, 0, nil, C.TACORE_UINT8, nil, unsafe.Pointer(&pixels[0]), C.size_t(len(pixels)), &err), err)
	sum := 0
	for _, pixel := range pixels {
		sum += int(pixel)
	}
	fmt.Printf("%d rows, %t, sum %d\n", C.tacore_frame_num_rows(rows), C.tacore_buffer_size(ipc) > 1000, sum)
	if C.tacore_raster_open(rows, 99, nil, &raster, &err) != C.TACORE_E_NAVIGATION {
		panic("row 99 was found")
	}
	C.tacore_error_free(err)
}
