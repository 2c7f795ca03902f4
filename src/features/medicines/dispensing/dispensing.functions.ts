import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as dispensing from './dispensing.server'
import * as queue from './queue.server'

const post = { method: 'POST' } as const

export const listQueue = createServerFn()
  .validator(inputOf(queue.listQueue))
  .handler(serve(queue.listQueue))
export const listRecords = createServerFn()
  .validator(inputOf(queue.listRecords))
  .handler(serve(queue.listRecords))
export const getToDispense = createServerFn()
  .validator(inputOf(queue.getToDispense))
  .handler(serve(queue.getToDispense))
export const proposeBatches = createServerFn()
  .validator(inputOf(dispensing.proposeBatches))
  .handler(serve(dispensing.proposeBatches))
export const dispense = createServerFn(post)
  .validator(inputOf(dispensing.dispense))
  .handler(serve(dispensing.dispense))
export const reverseDispensing = createServerFn(post)
  .validator(inputOf(dispensing.reverseDispensing))
  .handler(serve(dispensing.reverseDispensing))
