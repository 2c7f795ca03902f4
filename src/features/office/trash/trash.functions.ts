import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as trash from './trash.server'

export const listTrash = createServerFn()
  .validator(inputOf(trash.listTrash))
  .handler(serve(trash.listTrash))
export const restoreDeletion = createServerFn({ method: 'POST' })
  .validator(inputOf(trash.restoreDeletion))
  .handler(serve(trash.restoreDeletion))
