import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as queue from './queue.server'
import * as turns from './turns.server'

const post = { method: 'POST' } as const

export const listQueue = createServerFn()
  .validator(inputOf(queue.listQueue))
  .handler(serve(queue.listQueue))
export const queueBoard = createServerFn()
  .validator(inputOf(queue.queueBoard))
  .handler(serve(queue.queueBoard))
export const callNext = createServerFn(post)
  .validator(inputOf(turns.callNext))
  .handler(serve(turns.callNext))
export const call = createServerFn(post).validator(inputOf(turns.call)).handler(serve(turns.call))
export const passOver = createServerFn(post)
  .validator(inputOf(turns.passOver))
  .handler(serve(turns.passOver))
export const start = createServerFn(post)
  .validator(inputOf(turns.start))
  .handler(serve(turns.start))
export const finish = createServerFn(post)
  .validator(inputOf(turns.finish))
  .handler(serve(turns.finish))
export const send = createServerFn(post).validator(inputOf(turns.send)).handler(serve(turns.send))
export const checkIn = createServerFn(post)
  .validator(inputOf(turns.checkIn))
  .handler(serve(turns.checkIn))
