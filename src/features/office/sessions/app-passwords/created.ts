import { useRouter } from '@tanstack/react-router'
import { api } from '~/client/api'
import { accepted } from '../session'

/** Creates an app password, lists it on the page behind, and returns its code. */
export function useCreated() {
  const router = useRouter()
  return async (values: { name: string; password: string }): Promise<string> => {
    const { code } = accepted(await api.appPasswords.create(values))
    await router.invalidate()
    return code
  }
}
