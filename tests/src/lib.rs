//! Whole-program tests live in `it/`: the binary against servers, judged by truth known beforehand.
