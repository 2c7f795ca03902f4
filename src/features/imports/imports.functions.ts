import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as imports from './imports.server'

const post = { method: 'POST' } as const

export const listImports = createServerFn().validator(inputOf(imports.listImports)).handler(serve(imports.listImports))
export const getImport = createServerFn().validator(inputOf(imports.getImport)).handler(serve(imports.getImport))
export const listRejected = createServerFn()
  .validator(inputOf(imports.listRejected))
  .handler(serve(imports.listRejected))
export const listDoubtful = createServerFn()
  .validator(inputOf(imports.listDoubtful))
  .handler(serve(imports.listDoubtful))
export const createImport = createServerFn(post)
  .validator(inputOf(imports.createImport))
  .handler(serve(imports.createImport))
export const addPart = createServerFn(post).validator(inputOf(imports.addPart)).handler(serve(imports.addPart))
export const setEncoding = createServerFn(post)
  .validator(inputOf(imports.setEncoding))
  .handler(serve(imports.setEncoding))
export const setDelimiter = createServerFn(post)
  .validator(inputOf(imports.setDelimiter))
  .handler(serve(imports.setDelimiter))
export const runImport = createServerFn(post).validator(inputOf(imports.runImport)).handler(serve(imports.runImport))
export const stopImport = createServerFn(post).validator(inputOf(imports.stopImport)).handler(serve(imports.stopImport))
export const deleteImport = createServerFn(post)
  .validator(inputOf(imports.deleteImport))
  .handler(serve(imports.deleteImport))
