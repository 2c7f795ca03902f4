/** The server answered a call with something other than an answer: a bug, a proxy's page, a full disk. */
export class HttpFailure extends Error {
  constructor(
    readonly status: number,
    /** By which the line in the server's log is found. */
    readonly requestId: string | null = null,
  ) {
    super(`HTTP error! status: ${status}`)
    this.name = 'HttpFailure'
  }
}
