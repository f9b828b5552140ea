import { configureGlobal } from 'fast-check'

/** With `TEST_SEED` every property has that seed. Without it each has its own, which the report of a failure names. */
const given = process.env['TEST_SEED']
if (given !== undefined) configureGlobal({ seed: Number(given) })
