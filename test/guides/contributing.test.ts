import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

describe('an example of a change', () => {
  it.each([
    ['docs/contributing/add-a-field.md', 10],
    ['docs/contributing/add-an-operation.md', 13],
    ['docs/contributing/add-a-limit.md', 3],
  ])('applies to this tree, and is as small as the page says: %s', (page, files) => {
    const [, diff = ''] = /```diff\n([^]*?)```/.exec(readFileSync(join(root, page), 'utf8')) ?? []
    expect(diff.match(/^diff --git /gm)).toHaveLength(files)
    const { status, stderr } = spawnSync('git', ['apply', '--check', '-'], { cwd: root, input: diff, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})
