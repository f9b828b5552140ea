import { globSync, readFileSync } from 'node:fs'
import { checkSync } from 'recheck'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'

/** Milliseconds for one expression; most take a few. */
const TIMEOUT_MS = 30_000

type Expression = { readonly pattern: string; readonly flags: string }

/** Returns the regular expressions of a program, and the code of those that are created with `RegExp`. */
function expressionsIn(path: string, code: string): { literals: Expression[]; made: string[] } {
  const literals: Expression[] = []
  const made: string[] = []
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, regex, callee, start, end } = node as Node
    if (type === 'Literal' && regex !== undefined) literals.push(regex)
    if (callee?.type === 'Identifier' && callee.name === 'RegExp') made.push(code.slice(start, end))
    Object.values(node).forEach(look)
  }
  const { program, errors } = parseSync(path, code)
  if (errors.length > 0) throw new Error(`${path} cannot be read.`)
  look(program)
  return { literals, made }
}

type Node = {
  readonly type?: string
  readonly regex?: Expression
  readonly callee?: Node
  readonly name?: string
  readonly start?: number
  readonly end?: number
}

/** Returns what is wrong with an expression; null if it takes linear time for any text. */
function faultOf({ pattern, flags }: Expression): string | null {
  // The checker unrolls counted repetitions. An expression that is linear without an upper bound is linear with one.
  const unbounded = pattern.replaceAll(/\{(\d+),\d+\}/g, '{$1,}')
  return checked(unbounded, flags) === null ? null : checked(pattern, flags)
}

function checked(pattern: string, flags: string): string | null {
  const found = checkSync(pattern, flags, { timeout: TIMEOUT_MS })
  if (found.status === 'safe') return null
  return `/${pattern}/${flags}: ${found.status === 'vulnerable' ? found.complexity.summary : found.status}`
}

const files = globSync('{src,packages/*/src}/**/*.{ts,tsx}')
  .toSorted()
  .map((path) => ({ path, found: expressionsIn(path, readFileSync(path, 'utf8')) }))

// promise(operations): Every regular expression takes linear time.
describe('every regular expression of the source', () => {
  test('takes linear time over any text', { timeout: 300_000 }, () => {
    expect(files.flatMap(({ found }) => found.literals).length).toBeGreaterThan(100)
    const known = new Map<string, string | null>()
    const faults = files.flatMap(({ path, found }) =>
      found.literals.flatMap((literal) => {
        const key = `/${literal.pattern}/${literal.flags}`
        if (!known.has(key)) known.set(key, faultOf(literal))
        const fault = known.get(key) ?? null
        return fault === null ? [] : [`${path} ${fault}`]
      }),
    )
    expect(faults).toStrictEqual([])
  })

  test('stands there as it is, and is not put together from texts', () => {
    expect(files.flatMap(({ path, found }) => found.made.map((code) => `${path} ${code}`))).toStrictEqual([])
  })
})
