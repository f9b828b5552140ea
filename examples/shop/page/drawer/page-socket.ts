/** A WebSocket that the drawer can close. Only for the demonstration; a real shop does not need it. */
export class PageSocket extends WebSocket {
  static readonly #open = new Set<PageSocket>()

  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols)
    PageSocket.#open.add(this)
    this.addEventListener('close', () => PageSocket.#open.delete(this))
  }

  /** Closes every socket of the page, to simulate a lost network. Returns the number of sockets. */
  static cut(): number {
    const sockets = [...PageSocket.#open]
    for (const socket of sockets) socket.close(CUT)
    return sockets.length
  }
}

/** A close code for applications; a page may close a socket only with 1000 or a code from 3000 to 4999. */
const CUT = 4_000
