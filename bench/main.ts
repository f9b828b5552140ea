/** Runs one of the measurements in this folder: `npm run bench -- overload`. */
const [name = ''] = process.argv.slice(2)
if (!/^[\w-]+$/.test(name)) {
  console.error('Which one? npm run bench -- NAME, where bench/NAME.ts exists.')
  process.exit(1)
}
await import(`./${name}.ts`)
