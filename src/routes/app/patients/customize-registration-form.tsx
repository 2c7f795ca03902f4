import { createFileRoute } from '@tanstack/react-router'
import { api } from '~/client/api'
import { FormEditor } from '~/features/people/registration/FormEditor'
import { isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

export const Route = createFileRoute('/app/patients/customize-registration-form')({
  beforeLoad: onlyFor(isAdmin),
  gcTime: 0,
  loader: async () => {
    const [form, answered] = await Promise.all([
      api.registrationForm.get(),
      api.registrationForm.answered(),
    ])
    return { form, answered }
  },
  pendingComponent: PageSkeleton,
  component: CustomizePage,
})

function CustomizePage() {
  const { form, answered } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const say = useSay()
  useLive('registrationForm.get', 'registrationForm.answered')
  return (
    <Page title="nav.registrationForm" lead={say('formEditor.lead')}>
      <FormEditor form={form} answered={answered} language={viewer.language} />
    </Page>
  )
}
