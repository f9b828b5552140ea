import { bad, good } from './read-setting.ts'
import type { Parsed, Parser } from './read-setting.ts'

const CONTROL = /\p{Cc}/u
const HOST = /^[\w.:%-]{1,253}$/

/** Parses one of a list of words, case-sensitive. */
export function oneOf<Word extends string>(words: readonly Word[]): Parser<Word> {
  return (text) => {
    const word = words.find((candidate) => candidate === text)
    return word === undefined ? bad(`must be one of ${words.join(', ')}`) : good(word)
  }
}

/** Parses an integer in decimal digits, from `least` to `most`. */
export function wholeNumber(least: number, most: number): Parser<number> {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Infinity
    return number >= least && number <= most ? good(number) : bad(`must be a whole number from ${least} to ${most}`)
  }
}

/** Parses a TCP port; 0 lets the system choose a free one. */
export function parsePort(text: string): Parsed<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  return port <= 65_535 ? good(port) : bad('must be a whole number from 0 to 65535')
}

/** Parses a host name or an address to listen on, IPv6 without brackets. */
export function parseHost(text: string): Parsed<string> {
  return HOST.test(text) ? good(text) : bad('must be a host name or an IP address, without scheme, port or brackets')
}

/** Parses a text of one line without white space at its ends. */
export function parseLine(text: string): Parsed<string> {
  if (CONTROL.test(text)) return bad('must not contain control characters, such as a line break')
  return text.trim() === text ? good(text) : bad('must not begin or end with white space')
}
