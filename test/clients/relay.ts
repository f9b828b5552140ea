import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** Runs relay-compiler over the exported schema and the operations of a folder. Throws if it refuses the schema or an operation. */
export function compileForRelay(folder: string, operations: readonly string[]): void {
  const inFolder = (cwd: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${stdout}${stderr}`)
  }
  mkdirSync(join(folder, '__generated__'))
  inFolder(ROOT, 'scripts/client-schema.ts', folder)
  renameSync(join(folder, 'client.graphql'), join(folder, 'schema.graphql'))
  inFolder(folder, join(ROOT, 'node_modules/relay-compiler/cli.js'), 'relay.config.json')
  // Node removes the types of a file by themselves, and cannot know which imports are types.
  for (const name of operations) {
    const artifact = join(folder, `__generated__/${name}.graphql.ts`)
    const text = readFileSync(artifact, 'utf8')
    writeFileSync(artifact, text.replace('import { ConcreteRequest }', 'import type { ConcreteRequest }'))
  }
}
