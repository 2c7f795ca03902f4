import { asObject } from '~/shared/object'
import type { AnyOperation } from '~/server/operation'
import { serveOperation } from '~/server/serve.server'
import { AppError } from '~/shared/errors'
import { operations } from './operations'

export type Method = 'GET' | 'POST'

/** Runs the operation that a screen names. */
export const callNamed =
  (method: Method) =>
  ({ data }: { data: unknown }): Promise<unknown> =>
    serveOperation(() => chosenOperation(method, data))

/** The operation that a call names, with its input. The operation itself checks the input and who may call it. */
export function chosenOperation(method: Method, call: unknown): [AnyOperation, unknown] {
  const { name, input } = asObject(call)
  const operation = typeof name === 'string' ? operations.get(name) : undefined
  // a page that is older than the server may name what no longer exists
  if (!operation || httpMethod(operation) !== method)
    throw new AppError('invalid', { key: 'errors.outOfDate' })
  return [operation, input]
}

export const httpMethod = ({ facts: { kind, byPost } }: AnyOperation): Method =>
  kind === 'query' && !byPost ? 'GET' : 'POST'
