import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as configurations from './configurations.server'

const post = { method: 'POST' } as const

export const listConfigurations = createServerFn()
  .validator(inputOf(configurations.listConfigurations))
  .handler(serve(configurations.listConfigurations))
export const getConfiguration = createServerFn()
  .validator(inputOf(configurations.getConfiguration))
  .handler(serve(configurations.getConfiguration))
export const saveConfiguration = createServerFn(post)
  .validator(inputOf(configurations.saveConfiguration))
  .handler(serve(configurations.saveConfiguration))
export const saveConfigurations = createServerFn(post)
  .validator(inputOf(configurations.saveConfigurations))
  .handler(serve(configurations.saveConfigurations))
export const getPhoneCode = createServerFn()
  .validator(inputOf(configurations.phoneCode))
  .handler(serve(configurations.phoneCode))
