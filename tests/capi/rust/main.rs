//! A program in Rust, which has no package of ours: it opens a dataset, filters it, and reads rows and pixels by tacore.h.
//!
//!     main ROOT
use std::ffi::{c_char, c_void, CStr, CString};
use std::ptr::{null, null_mut};

type Handle = *mut c_void;

extern "C" {
    fn tacore_open(paths: *const *const c_char, num: usize, options: *const c_char, out: *mut Handle, error: *mut Handle) -> i32;
    fn tacore_dataset_sql(dataset: Handle, query: *const c_char, out: *mut Handle, error: *mut Handle) -> i32;
    fn tacore_dataset_rows(dataset: Handle, flags: i32, out: *mut Handle, error: *mut Handle) -> i32;
    fn tacore_frame_num_rows(frame: Handle) -> i64;
    fn tacore_frame_ipc(frame: Handle, flags: i32, out: *mut Handle, error: *mut Handle) -> i32;
    fn tacore_raster_open(frame: Handle, position: i64, child: *const c_char, out: *mut Handle, error: *mut Handle) -> i32;
    fn tacore_raster_read(
        raster: Handle, bands: *const i32, num: usize, window: *const i64, kind: i32, options: *const c_char,
        out: *mut c_void, size: usize, error: *mut Handle,
    ) -> i32;
    fn tacore_buffer_size(buffer: Handle) -> usize;
    fn tacore_error_text(error: Handle) -> *const c_char;
    fn tacore_error_free(error: Handle);
    fn tacore_buffer_free(buffer: Handle);
    fn tacore_raster_free(raster: Handle);
    fn tacore_frame_free(frame: Handle);
    fn tacore_dataset_free(dataset: Handle);
}

const NAVIGATION: i32 = 7;
const PLAIN: i32 = 2;
const UINT8: i32 = 0;

/// The result of a call, or its error.
fn call(work: impl FnOnce(*mut Handle, *mut Handle) -> i32) -> Result<Handle, (i32, String)> {
    let (mut out, mut error) = (null_mut(), null_mut());
    let status = work(&mut out, &mut error);
    if status == 0 {
        return Ok(out);
    }
    let text = unsafe { CStr::from_ptr(tacore_error_text(error)) }.to_string_lossy().into_owned();
    unsafe { tacore_error_free(error) };
    Err((status, text))
}

fn main() -> Result<(), (i32, String)> {
    let path = CString::new(std::env::args().nth(1).unwrap() + "/examples/data/landsat.tacozip").unwrap();
    let query = CString::new("SELECT * FROM data WHERE water > 0.1").unwrap();
    unsafe {
        let dataset = call(|out, error| tacore_open([path.as_ptr()].as_ptr(), 1, null(), out, error))?;
        let wet = call(|out, error| tacore_dataset_sql(dataset, query.as_ptr(), out, error))?;
        let rows = call(|out, error| tacore_dataset_rows(wet, 0, out, error))?;
        let ipc = call(|out, error| tacore_frame_ipc(rows, PLAIN, out, error))?;
        let raster = call(|out, error| tacore_raster_open(rows, 0, null(), out, error))?;
        let mut pixels = vec![0u8; 6 * 64 * 64];
        let into = pixels.as_mut_ptr() as *mut c_void;
        call(|_, error| tacore_raster_read(raster, null(), 0, null(), UINT8, null(), into, pixels.len(), error))?;
        let sum: i64 = pixels.iter().map(|&pixel| pixel as i64).sum();
        println!("{} rows, {}, sum {}", tacore_frame_num_rows(rows), tacore_buffer_size(ipc) > 1000, sum);
        let missing = call(|out, error| tacore_raster_open(rows, 99, null(), out, error));
        assert_eq!(missing.unwrap_err().0, NAVIGATION);
        tacore_raster_free(raster);
        tacore_buffer_free(ipc);
        tacore_frame_free(rows);
        tacore_dataset_free(wet);
        tacore_dataset_free(dataset);
    }
    Ok(())
}
