/** A reason not to go on that the person at the terminal can act on: one sentence, printed without a stack trace. */
export class Refusal extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'Refusal'
  }
}

/** Node's and PostgreSQL's ways of saying that the disk is full. */
export const saysDiskFull = (text: string) =>
  /ENOSPC|No space left on device|EDQUOT|Disk quota exceeded/.test(text)

export const diskFull = (where: string) =>
  new Refusal(`The disk that holds ${where} is full: free some space on it, then start again.`)
