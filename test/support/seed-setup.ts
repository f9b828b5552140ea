import { configureGlobal } from 'fast-check'

/** With `TEST_SEED`, all properties have this seed. Without it, each property has its own seed, which the report of a failure contains. */
const given = process.env['TEST_SEED']
if (given !== undefined) configureGlobal({ seed: Number(given) })
