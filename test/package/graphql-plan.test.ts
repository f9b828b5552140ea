import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { installPacked } from './packed.ts'

const PROGRAM = `import { buildSchema, getOperationAST, parse } from 'graphql'
import { createLibraryExecutor, createPlannedExecutor } from 'graphql-plan'
const schema = buildSchema('type Query { greeting: String }')
const document = parse('{ greeting }')
const operation = { document, node: getOperationAST(document), variables: {}, request: { variables: {} } }
for (const create of [createPlannedExecutor, createLibraryExecutor])
  console.log((await create(schema)(operation, {}, { greeting: 'hello' })).data)
`

it('executes an operation in an empty folder', async () => {
  const folder = await installPacked(resolve('packages/graphql-plan'))
  writeFileSync(join(folder, 'program.js'), PROGRAM)
  const { stdout } = await promisify(execFile)(process.execPath, ['program.js'], { cwd: folder, env: {} })
  expect(stdout).toBe('{"greeting":"hello"}\n'.repeat(2))
})
