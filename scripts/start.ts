/** Runs the program: as it was built, if no source has changed since, and otherwise from the sources. `npm start`. */
import { isProgramBuilt } from './program.ts'

await import(isProgramBuilt() ? '../dist/main.js' : '../src/main.ts')
