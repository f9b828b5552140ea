/** The payments API answered a read with another payment or agreement. */
export class MisattributedReadError extends Error {
  override name = 'MisattributedReadError'
  readonly safeMessage = true

  constructor() {
    super('The payments API answered a read with something else.')
  }
}
