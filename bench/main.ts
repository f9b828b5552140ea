/** Runs a benchmark by its name: `npm run bench -- lists`. */
const name = process.argv[2] ?? ''
if (!/^[a-z-]+$/.test(name)) throw new Error('Name a benchmark, such as `npm run bench -- lists`.')
await import(`./${name}.ts`)
