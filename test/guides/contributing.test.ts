import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

describe('an example of a change', () => {
  it.each(['add-a-field', 'add-an-operation', 'add-a-limit'])('applies, and its page names each file: %s', (name) => {
    const path = join(root, 'docs/contributing', name)
    const page = readFileSync(`${path}.md`, 'utf8')
    const changed = [...readFileSync(`${path}.diff`, 'utf8').matchAll(/^--- a\/(.+)$/gm)].map(([, file = '']) => file)
    expect(changed.filter((file) => !page.includes(`\`${file}\``))).toEqual([])
    const { status, stderr } = spawnSync('git', ['apply', '--check', `${path}.diff`], { cwd: root, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})
