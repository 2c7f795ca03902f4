import { AppError } from '~/shared/errors'

/**
 * Forms call the field `newPassword`, so that a browser does not fill in the password of the
 * signed-in user. Errors at `password` are shown beside it.
 */
export async function besideNewPassword<R>(work: Promise<R>): Promise<R> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AppError) || !error.fields['password']) throw error
    const { password, ...others } = error.fields
    throw new AppError(error.code, error.text, { ...others, newPassword: password })
  }
}
