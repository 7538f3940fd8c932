// Properties of fast-check begin with one seed, so that the result of a run depends on the change alone. PROPERTY_SEED is another
// one, for whoever hunts a bug.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) })
