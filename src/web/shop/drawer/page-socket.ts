/** The browser's WebSocket, of which the drawer can cut the one that is open. A shop has no need of it. */
export class PageSocket extends WebSocket {
  static readonly #open = new Set<PageSocket>()

  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols)
    PageSocket.#open.add(this)
    this.addEventListener('close', () => PageSocket.#open.delete(this))
  }

  /** Closes every socket of the page, as a network would that goes away; gives how many there were. */
  static cut(): number {
    const sockets = [...PageSocket.#open]
    for (const socket of sockets) socket.close(CUT)
    return sockets.length
  }
}

/** A close code for applications; only this one and 1000 may be given by a page. */
const CUT = 4_000
