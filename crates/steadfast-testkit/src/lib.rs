//! What all stores and the engine are tested with: shared suite, simulator, trials.
