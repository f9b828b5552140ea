import { readdirSync } from 'node:fs'

/** Runs one bench by its name: `npm run bench -- reads-year`. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -'.ts'.length))
const [name = ''] = process.argv.slice(2)
if (names.includes(name)) await import(`./${name}.ts`)
else {
  console.error(`Usage: npm run bench -- <name>, one of: ${names.join(', ')}`)
  process.exitCode = 1
}
