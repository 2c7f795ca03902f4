import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test as base } from './harness'

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void
type Received = { method: string; url: string; authorization: string; type: string; body: unknown }

/** A DHIS2 of the documented shape: keeps what it received, and updates a value that it has. */
export const test = base.extend('dhis2', async ({}, { onCleanup }) => {
  const received: Received[] = []
  const values = new Map<string, string>()
  const answers: Answer[] = []
  const imported: Answer = (request, response, body) => {
    const { period, orgUnit, dataValues } = JSON.parse(body) as {
      period: string
      orgUnit: string
      dataValues: { dataElement: string; categoryOptionCombo?: string; value: string }[]
    }
    const counts = { imported: 0, updated: 0, ignored: 0, deleted: 0 }
    const isDryRun = request.url?.includes('dryRun=true')
    for (const { dataElement, categoryOptionCombo, value } of dataValues) {
      const key = [period, orgUnit, dataElement, categoryOptionCombo].join()
      counts[values.has(key) ? 'updated' : 'imported'] += 1
      if (!isDryRun) values.set(key, value)
    }
    json(response, 200, {
      httpStatus: 'OK',
      httpStatusCode: 200,
      status: 'OK',
      message: 'Import was successful.',
      response: {
        responseType: 'ImportSummary',
        status: 'SUCCESS',
        description: 'Import process completed successfully',
        importCount: counts,
        conflicts: [],
        dataSetComplete: 'false',
      },
    })
  }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      received.push({
        method: request.method ?? '',
        url: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        type: request.headers['content-type'] ?? '',
        body: body.startsWith('{') ? JSON.parse(body) : body,
      })
      ;(answers.shift() ?? imported)(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onCleanup(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dhis`
  return { address, received, values, answers, imported }
})

export const json = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
