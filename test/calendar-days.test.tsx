import { MantineProvider } from '@mantine/core'
import { renderToString } from 'react-dom/server'
import { expect } from 'vitest'
import { PrescriptionSheet } from '~/features/medicines/prescriptions/PrescriptionSheet'
import { getPrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { loadMessages } from '~/ui/messages'
import { Spoken } from '~/ui/Spoken'
import { test } from './harness'

test.for(['Pacific/Tongatapu', 'Pacific/Pago_Pago'])(
  'a sheet that is printed in %s shows the day of birth as it was recorded',
  async (timeZone, { as, make }) => {
    await loadMessages('en')
    const patient = await make.patient({ date_of_birth: '1990-05-17' })
    const { id } = await make.prescription({ patient_id: patient.id })
    const prescription = await getPrescription(as('admin'), { id })
    const html = renderToString(
      <MantineProvider>
        <Spoken language="en" timeZone={timeZone}>
          <PrescriptionSheet prescription={prescription} organization="" />
        </Spoken>
      </MantineProvider>,
    )
    expect(html).toContain('May 17, 1990')
  },
)
