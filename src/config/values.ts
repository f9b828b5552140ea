import { bad, good } from './reading.ts'
import type { Parsed, Parser } from './reading.ts'

const CONTROL = /\p{Cc}/u
const HOST = /^[\w.:%-]{1,253}$/

/** One of a list of words, exactly as they are written. */
export function oneOf<Word extends string>(words: readonly Word[]): Parser<Word> {
  return (text) => {
    const word = words.find((candidate) => candidate === text)
    return word === undefined ? bad(`must be one of ${words.join(', ')}`) : good(word)
  }
}

/** A TCP port; 0 asks the system for any that is free. */
export function parsePort(text: string): Parsed<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  return port <= 65_535 ? good(port) : bad('must be a whole number from 0 to 65535')
}

/** A host name or an address to listen on, IPv6 without brackets. */
export function parseHost(text: string): Parsed<string> {
  return HOST.test(text) ? good(text) : bad('must be a host name or an IP address, without scheme, port or brackets')
}

/** A text of one line without white space at its ends. */
export function parseLine(text: string): Parsed<string> {
  if (CONTROL.test(text)) return bad('must not contain control characters, such as a line break')
  return text.trim() === text ? good(text) : bad('must not begin or end with white space')
}

/** The path in a `file:` address of the database. */
export function parseDatabase(text: string): Parsed<string> {
  if (/^postgres(?:ql)?:/i.test(text)) {
    return bad(
      'names a PostgreSQL server, but this version keeps its data in a file: use file: and a path, such as file:./data/payments.db',
    )
  }
  const line = parseLine(text)
  if (!line.ok) return line
  const path = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1]
  if (path === undefined || path.startsWith('//') || path.endsWith('/')) {
    return bad('must be file: and the path of a file, such as file:./data/payments.db')
  }
  return path === ':memory:'
    ? bad('must name a file: what is only in memory is lost when the process ends')
    : good(path)
}

/** Any text at all of a setting that this version has no use for. */
export function notSupported(message: string): Parser<never> {
  return () => bad(message)
}
