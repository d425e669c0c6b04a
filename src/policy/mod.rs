//! Pure decisions: no input, no output, no clock.
