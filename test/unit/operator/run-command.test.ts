import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { createProgram, run } from '../../../src/cli/command-line.ts'

const streams = { output: process.stdout, terminal: process.stderr }

describe('the command line', () => {
  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['another command', ['recconcile'], {}, /unknown command 'recconcile' \(Did you mean reconcile\?\)/],
    [
      'a misspelt option',
      ['deliveries', 'replay', 'x', '--yess'],
      {},
      /unknown option '--yess' \(Did you mean --yes\?\)/,
    ],
    ['an option of another command', ['deliveries', 'show', 'x', '--yes'], {}, /unknown option '--yes'/],
    ['a token as an option', ['deliveries', 'list', '--token=a-secret'], {}, /unknown option '--token'/],
    ['a token as an argument', ['reconcile', 'a-secret'], {}, /too many arguments/],
    ['another format', ['export', '--format', 'xlsx'], {}, /csv or ndjson/],
    ['a day without its offset', ['export', '--from', '2026-11-01'], {}, /--from.*must be an instant/],
    ['no day of the calendar', ['export', '--before', '2026-13-01T00:00:00Z'], {}, /--before.*must be an instant/],
    ['no interval', ['import'], {}, /required option '--from <instant>' not specified/],
    ['no id', ['deliveries', 'show'], {}, /missing required argument 'id'/],
    ['two ids', ['deliveries', 'show', 'x', 'y'], {}, /too many arguments/],
    ['a limit of none', ['deliveries', '--limit', '0'], {}, /from 1 to 1000/],
    ['a limit that is too high', ['deliveries', '--limit', '1001'], {}, /from 1 to 1000/],
    ['everything and a part', ['deliveries', '--all', '--doubtful'], {}, /--all excludes/],
    ['a step that does not exist', ['keys', 'rotate', 'swap'], {}, /add, promote, remove/],
    ['an address that is none', ['deliveries', '--url', 'file:///etc/passwd'], {}, /http or https/],
    [
      'an address with a password',
      ['deliveries', '--url', 'http://me:a-secret@localhost/graphql'],
      {},
      /no credentials/,
    ],
    ['no token', ['deliveries'], { SUBGRAPH_TOKEN: '' }, /SUBGRAPH_TOKEN must contain/],
    ['a token that no header takes', ['deliveries'], { SUBGRAPH_TOKEN: 'a-secret\nb' }, /SUBGRAPH_TOKEN must contain/],
  ])('with %s ends with 2 and one line, and repeats no secret', async (_what, args, env, message) => {
    const { code, out, err } = await run(args, { SUBGRAPH_TOKEN: 'token', ...env }, streams)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
    expect(err).toMatch(/^error: [^\n]+\n$/)
    expect(err).not.toContain('a-secret')
  })

  it.each([['--help'], ['help'], ['import --help'], ['help keys'], ['deliveries replay --help']])(
    'prints the help of %s',
    async (args) => {
      const { code, out, err } = await run(args.split(' '), {}, streams)
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toMatch(/^Usage: payments-subgraph/)
    },
  )

  it('prints JSON of every command that reports something', async () => {
    const named = (command: Command): [string, Command][] =>
      command.commands.length === 0 ? [[command.name(), command]] : command.commands.flatMap(named)
    const program = createProgram({ ...streams, env: {}, print() {} })
    const without = named(program).filter(([, { options }]) => !options.some(({ long }) => long === '--json'))
    expect(without.map(([name]) => name)).toEqual(['start', 'sandbox', 'demo', 'export', 'documents', 'complete'])
    const { out } = await run(['keys', 'generate', '--json'], {}, streams)
    expect(JSON.parse(out)).toEqual({ key: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
  })

  it('rotates keys in steps', async () => {
    const value = async (keys: string, step: string) =>
      (await run(['keys', 'rotate', step], { SIGNING_KEYS: keys }, streams)).out.trim()
    const added = await value('old', 'add')
    expect(added).toMatch(/^old,[0-9a-f]{64}$/)
    expect(await value(added, 'promote')).toBe(added.split(',').toReversed().join(','))
    expect((await run(['keys', 'generate'], {}, streams)).out).toMatch(/^[0-9a-f]{64}\n$/)
  })
})
