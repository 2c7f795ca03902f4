import { request } from 'node:http'

/** The status of the answer to a body of that length, of which only the start is sent. */
export const statusOf = (
  url: string,
  length: number,
  headers: Record<string, string> = {},
  start = '{',
) =>
  new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: { ...headers, 'content-length': length } },
      (response) => {
        resolve(response.statusCode)
        sent.destroy()
      },
    )
    sent.on('error', reject)
    sent.write(start)
  })
