import { describe, expect, it } from 'vitest'
import { run } from '../../../src/operator/run-command.ts'

describe('the command line', () => {
  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['no command', [], {}, /command is missing/],
    ['another command', ['repair'], {}, /Unknown command/],
    ['an unknown option', ['replay', 'x', '--force'], {}, /Unknown option '--force'/],
    ['an option of another command', ['delivery', 'x', '--apply'], {}, /Unknown option '--apply'/],
    ['a token as an option', ['deliveries', '--token=a-secret'], {}, /Unknown option '--token'/],
    ['a token as an argument', ['deliveries', 'a-secret'], {}, /Too many arguments/],
    ['another format', ['export', '--format', 'xlsx'], {}, /csv or ndjson/],
    ['a day without its offset', ['export', '--from', '2026-11-01'], {}, /--from must be an instant/],
    ['no day of the calendar', ['export', '--before', '2026-13-01T00:00:00Z'], {}, /--before must be an instant/],
    ['no id', ['replay', '--apply'], {}, /id of a delivery is missing/],
    ['two ids', ['replay', 'x', 'y'], {}, /Too many arguments/],
    ['a limit of none', ['deliveries', '--limit', '0'], {}, /from 1 to 1000/],
    ['a limit that is too high', ['deliveries', '--limit', '1001'], {}, /from 1 to 1000/],
    ['everything and a part', ['deliveries', '--all', '--doubtful'], {}, /--all excludes/],
    ['an address that is none', ['deliveries', '--url', 'file:///etc/passwd'], {}, /http or https/],
    [
      'an address with a password',
      ['deliveries', '--url', 'http://me:a-secret@localhost/graphql'],
      {},
      /no credentials/,
    ],
    ['no token', ['deliveries'], { SUBGRAPH_TOKEN: '' }, /SUBGRAPH_TOKEN must contain/],
    ['a token that no header takes', ['deliveries'], { SUBGRAPH_TOKEN: 'a-secret\nb' }, /SUBGRAPH_TOKEN must contain/],
  ])('with %s ends with 2 and its usage, and repeats no secret', async (_what, args, env, message) => {
    const { code, out, err } = await run(
      args,
      { SUBGRAPH_TOKEN: 'token', ...env },
      { output: process.stdout, terminal: process.stderr },
    )
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
    expect(err).toContain('Usage: payments-subgraph-operator')
    expect(err).not.toContain('a-secret')
  })

  it.each([[['--help']], [['help']], [['replay', '--help']]])('prints its usage for %o', async (args) => {
    expect(await run(args, {}, { output: process.stdout, terminal: process.stderr })).toMatchObject({
      code: 0,
      out: expect.stringContaining('Exit codes'),
      err: '',
    })
  })
})
