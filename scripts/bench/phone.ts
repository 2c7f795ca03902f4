import { request } from 'node:http'
import { connect } from 'node:net'

export type PhoneChanges = Record<
  string,
  { created: object[]; updated: object[]; deleted: string[] }
>

/** `bytes`: of a download, with the lines between its chunks. */
type Answer = { bytes: number; end: string }

/**
 * The four requests of the phones' app, as far as the server can tell. Of a pull it keeps only the
 * number of bytes and the cursor.
 */
export class BenchPhone {
  cursor = 0

  constructor(
    readonly url: string,
    readonly email: string,
    readonly password: string,
  ) {}

  /** Everything that has changed since the last time; `encoding` is what the phone accepts of its first pull. */
  async pull({ encoding = 'identity' } = {}): Promise<number> {
    const query = `last_pulled_at=${this.cursor}&schema_version=9&migration=null`
    const { bytes, end } = await (this.cursor === 0
      ? this.#download(query, encoding)
      : this.#ask('GET', query))
    if (encoding === 'identity') {
      const timestamp = /"timestamp":(\d+)\}$/.exec(end)?.[1]
      if (!timestamp) throw new Error(`A pull ended with ${end.slice(-40)}`)
      this.cursor = Number(timestamp)
    }
    return bytes
  }

  /** `body`: a change set as JSON. */
  async push(body: string): Promise<number> {
    await this.#ask('POST', `last_pulled_at=${this.cursor}`, body)
    return Buffer.byteLength(body)
  }

  /** As the app begins every sync: it signs in twice. Returns whose phone it is. */
  async signIn(): Promise<string> {
    let id = ''
    for (const path of ['login', 'auth/sign-in']) {
      const answer = await fetch(`${this.url}/api/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: this.email, password: this.password }),
      })
      if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`)
      const body = (await answer.json()) as { id?: string; user?: { id: string } }
      id = body.user?.id ?? body.id ?? ''
    }
    return id
  }

  get #authorization() {
    return `Basic ${Buffer.from(`${this.email}:${this.password}`).toString('base64')}`
  }

  /**
   * Reads an answer of gigabytes into one buffer, again and again: the garbage collector, with a new buffer for
   * each part, took more of the machine than the server that is measured.
   */
  #download(query: string, encoding: string): Promise<Answer> {
    const { hostname, port } = new URL(this.url)
    const lines = [
      `GET /api/v2/sync?${query} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      `authorization: ${this.#authorization}`,
      `accept-encoding: ${encoding}`,
      'connection: close',
    ]
    return new Promise((resolve, reject) => {
      let bytes = 0
      let start = ''
      let end = Buffer.alloc(0)
      const buffer = Buffer.alloc(256 * 1024)
      const callback = (count: number) => {
        const part = buffer.subarray(0, count)
        start ||= part.toString('latin1', 0, 100)
        bytes += count
        end = Buffer.concat([end, part.subarray(-100)]).subarray(-100)
        return true
      }
      const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback } })
      socket.on('error', reject)
      socket.on('end', () => {
        const body = end.toString('utf8')
        // the last chunk is empty
        const [whole, rest] = /^(.*)\r\n0\r\n\r\n$/s.exec(body) ?? []
        if (start.startsWith('HTTP/1.1 200 ') && whole) resolve({ bytes, end: rest! })
        else reject(new Error(`A pull was answered with ${start.slice(0, 20)} … ${body}`))
      })
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    })
  }

  #ask(method: string, query: string, body = ''): Promise<Answer> {
    const headers = {
      authorization: this.#authorization,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'accept-encoding': 'identity',
    }
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}/api/v2/sync?${query}`, { method, headers }, (answer) => {
        let bytes = 0
        let end = Buffer.alloc(0)
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          end = Buffer.from(
            chunk.length < 100 ? Buffer.concat([end, chunk]).subarray(-100) : chunk.subarray(-100),
          )
        })
        answer.on('error', reject)
        answer.on('end', () => {
          if (answer.statusCode === 200) resolve({ bytes, end: end.toString('utf8') })
          else
            reject(
              new Error(
                `${method} was answered with ${answer.statusCode}: ${end.toString('utf8')}`,
              ),
            )
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
