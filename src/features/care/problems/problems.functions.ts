import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as problems from './problems.server'

const post = { method: 'POST' } as const

export const listProblems = createServerFn()
  .validator(inputOf(problems.listProblems))
  .handler(serve(problems.listProblems))
export const saveProblem = createServerFn(post)
  .validator(inputOf(problems.saveProblem))
  .handler(serve(problems.saveProblem))
export const deleteProblem = createServerFn(post)
  .validator(inputOf(problems.deleteProblem))
  .handler(serve(problems.deleteProblem))
