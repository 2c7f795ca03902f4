import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as merge from './merge.server'

const post = { method: 'POST' } as const

export const mergePreview = createServerFn()
  .validator(inputOf(merge.mergePreview))
  .handler(serve(merge.mergePreview))
export const listMerges = createServerFn()
  .validator(inputOf(merge.listMerges))
  .handler(serve(merge.listMerges))
export const mergePatients = createServerFn(post)
  .validator(inputOf(merge.mergePatients))
  .handler(serve(merge.mergePatients))
export const unmergePatients = createServerFn(post)
  .validator(inputOf(merge.unmergePatients))
  .handler(serve(merge.unmergePatients))
