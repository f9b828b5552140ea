/**
 * Runs the program with the demo shop: as it was built, if no source has changed since, and otherwise from the sources. `npm start`.
 */
import { createShop } from '../examples/shop/server/shop.ts'
import type * as Program from '../src/main.ts'
import { isProgramBuilt } from './program.ts'

const program = (await import(isProgramBuilt() ? '../dist/main.js' : '../src/main.ts')) as typeof Program
await program.runServer({ shop: createShop })
