import { notFound } from '@tanstack/react-router'
import { explainError, isNotThere } from '~/client/explain'

/**
 * For a route's `onError`: the router then draws the screen of what is not there. An error it would
 * throw again while the browser takes over the server's page, and leave it in the console.
 */
export function asNotFound(error: unknown): void {
  if (!isNotThere(error)) return
  const { code, text } = explainError(error)
  throw notFound({ data: code === 'not_found' ? text : undefined })
}
