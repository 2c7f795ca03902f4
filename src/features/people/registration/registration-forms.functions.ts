import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as forms from './registration-forms.server'

export const getRegistrationForm = createServerFn()
  .validator(inputOf(forms.getRegistrationForm))
  .handler(serve(forms.getRegistrationForm))
export const answeredFields = createServerFn()
  .validator(inputOf(forms.answeredFields))
  .handler(serve(forms.answeredFields))
export const saveRegistrationForm = createServerFn({ method: 'POST' })
  .validator(inputOf(forms.saveRegistrationForm))
  .handler(serve(forms.saveRegistrationForm))
