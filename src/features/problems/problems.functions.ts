import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as problems from './problems.server'
import * as codes from './codes.server'

const post = { method: 'POST' } as const

export const listProblems = createServerFn()
  .validator(inputOf(problems.listProblems))
  .handler(serve(problems.listProblems))
export const getProblem = createServerFn()
  .validator(inputOf(problems.getProblem))
  .handler(serve(problems.getProblem))
export const saveProblem = createServerFn(post)
  .validator(inputOf(problems.saveProblem))
  .handler(serve(problems.saveProblem))
export const deleteProblem = createServerFn(post)
  .validator(inputOf(problems.deleteProblem))
  .handler(serve(problems.deleteProblem))
export const searchCodes = createServerFn()
  .validator(inputOf(codes.searchCodes))
  .handler(serve(codes.searchCodes))
export const importCodes = createServerFn(post)
  .validator(inputOf(codes.importCodes))
  .handler(serve(codes.importCodes))
