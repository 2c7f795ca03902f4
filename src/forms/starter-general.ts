import {
  allOf,
  choice,
  choices,
  day,
  diagnosis,
  files,
  heading,
  longText,
  medicines,
  nextVisit,
  number,
  oneOf,
  starter,
  text,
  urgent,
  when,
  yesNo,
} from './starter-parts'

export const generalConsultation = starter(
  'general-consultation',
  ['General consultation', 'معاينة عامة', 'Consulta general'],
  [
    'Complaint, findings, assessment and plan.',
    'الشكوى والموجودات والتقييم والخطة.',
    'Motivo de consulta, hallazgos, evaluación y plan.',
  ],
  [
    longText('complaint', ['Chief complaint', 'الشكوى الرئيسية', 'Motivo de consulta'], {
      required: true,
    }),
    number('since', ['Duration (days)', 'المدة (أيام)', 'Duración (días)'], {
      limits: { min: 0, max: 20_000 },
    }),
    choice(
      'severity',
      ['Severity', 'الشدة', 'Intensidad'],
      [
        ['mild', 'Mild', 'خفيفة', 'Leve'],
        ['moderate', 'Moderate', 'متوسطة', 'Moderada'],
        ['severe', 'Severe', 'شديدة', 'Intensa'],
      ],
    ),
    choices(
      'symptoms',
      ['Associated symptoms', 'أعراض مرافقة', 'Síntomas asociados'],
      [
        ['fever', 'Fever', 'حمّى', 'Fiebre'],
        ['cough', 'Cough', 'سعال', 'Tos'],
        ['breathless', 'Shortness of breath', 'ضيق تنفّس', 'Dificultad para respirar'],
        ['chest_pain', 'Chest pain', 'ألم صدري', 'Dolor torácico'],
        ['abdominal_pain', 'Abdominal pain', 'ألم بطني', 'Dolor abdominal'],
        ['vomiting', 'Vomiting', 'قيء', 'Vómitos'],
        ['diarrhoea', 'Diarrhoea', 'إسهال', 'Diarrea'],
        ['headache', 'Headache', 'صداع', 'Dolor de cabeza'],
        ['rash', 'Rash', 'طفح جلدي', 'Erupción cutánea'],
        ['weight_loss', 'Weight loss', 'نقص وزن', 'Pérdida de peso'],
      ],
    ),
    urgent(
      'chest_pain_note',
      oneOf('symptoms', 'chest_pain', 'breathless'),
      'Chest pain or shortness of breath: measure oxygen saturation and pulse now. Consider cardiac and pulmonary causes first.',
      'ألم صدري أو ضيق تنفّس: قياس تشبّع الأكسجين والنبض الآن، والتفكير أولًا في الأسباب القلبية والرئوية.',
      'Si hay dolor torácico o dificultad para respirar: mida ahora la saturación de oxígeno y el pulso; considere primero causas cardíacas y pulmonares.',
    ),
    longText('history', [
      'History of present illness',
      'القصة المرضية',
      'Historia de la enfermedad actual',
    ]),
    yesNo('allergy_asked', ['Allergies reviewed', 'تمت مراجعة الحساسية', 'Alergias revisadas'], {
      hint: [
        'This does not record them: enter each allergy, or “no known allergies”, in the patient’s allergies.',
        'لا يُسجّلها هذا الحقل: تُدخل كل حساسية، أو «لا توجد حساسية معروفة»، في قائمة حساسية المريض.',
        'Esto no las registra: anote cada alergia, o «sin alergias conocidas», en las alergias del paciente.',
      ],
    }),
    heading('examination_heading', ['Examination', 'الفحص', 'Examen físico']),
    longText('examination', ['Findings', 'الموجودات', 'Hallazgos']),
    longText('tests', ['Tests and results', 'الفحوص ونتائجها', 'Exámenes y resultados']),
    files('photos', ['Photos and reports', 'صور وتقارير', 'Imágenes e informes']),
    heading('plan_heading', ['Assessment and plan', 'التقييم والخطة', 'Evaluación y plan']),
    diagnosis(),
    medicines(),
    longText('advice', ['Advice given', 'النصائح المقدّمة', 'Indicaciones dadas']),
    yesNo('referred', [
      'Referred to another facility',
      'أُحيل إلى جهة أخرى',
      'Derivado a otro establecimiento',
    ]),
    text('referred_to', ['Referred to', 'الجهة المحال إليها', 'Derivado a'], {
      showIf: when('referred', 'is', 'yes'),
      requiredIf: when('referred', 'is', 'yes'),
    }),
    nextVisit(),
  ],
)

export const referral = starter(
  'referral-discharge',
  ['Referral and discharge', 'إحالة وخروج', 'Derivación y alta'],
  [
    'Summary for the patient to take to another facility or home.',
    'ملخّص يأخذه المريض إلى جهة صحية أخرى أو إلى المنزل.',
    'Resumen que el paciente lleva a otro establecimiento o a su casa.',
  ],
  [
    choice(
      'destination',
      ['Destination', 'وجهة المريض', 'Destino'],
      [
        ['hospital', 'Hospital', 'إلى مستشفى', 'A un hospital'],
        ['specialist', 'Specialist', 'إلى اختصاصي', 'A un especialista'],
        ['home', 'Home', 'إلى المنزل', 'A casa'],
      ],
      { required: true },
    ),
    text('to', ['Facility and contact', 'الجهة ووسيلة الاتصال بها', 'Establecimiento y contacto'], {
      showIf: when('destination', 'isNot', 'home'),
      requiredIf: when('destination', 'isNot', 'home'),
    }),
    choice(
      'urgency',
      ['Urgency', 'درجة الاستعجال', 'Urgencia'],
      [
        ['now', 'Immediately, by ambulance', 'فورًا بسيارة إسعاف', 'De inmediato, en ambulancia'],
        ['today', 'Today', 'اليوم', 'Hoy'],
        ['week', 'Within a week', 'خلال أسبوع', 'En los próximos 7 días'],
        ['planned', 'Elective', 'مخطّط لها', 'Programada'],
      ],
      { showIf: when('destination', 'isNot', 'home') },
    ),
    yesNo(
      'announced',
      [
        'Receiving facility informed',
        'أُبلغت الجهة المستقبلة',
        'Se avisó al establecimiento receptor',
      ],
      {
        showIf: when('destination', 'is', 'hospital'),
      },
    ),
    diagnosis({ required: true }),
    longText(
      'summary',
      [
        'Summary of the illness and findings',
        'ملخّص المرض والموجودات',
        'Resumen de la enfermedad y hallazgos',
      ],
      { required: true },
    ),
    longText('given', [
      'Treatment given so far',
      'العلاج المقدّم حتى الآن',
      'Tratamiento administrado hasta ahora',
    ]),
    choice(
      'condition',
      ['Condition on discharge', 'الحالة عند المغادرة', 'Estado al alta'],
      [
        ['better', 'Better', 'تحسّن', 'Mejor'],
        ['same', 'Unchanged', 'دون تغيّر', 'Igual'],
        ['worse', 'Worse', 'تدهور', 'Peor'],
        ['critical', 'Critical', 'حالة حرجة', 'Crítico'],
      ],
    ),
    urgent(
      'unwell_home',
      allOf(when('destination', 'is', 'home'), oneOf('condition', 'worse', 'critical')),
      'Worse or critical, and going home: assess again and consider referral before the patient leaves.',
      'الحالة متدهورة أو حرجة والوجهة إلى المنزل: إعادة التقييم والنظر في الإحالة قبل مغادرة المريض.',
      'Peor o crítico, y se va a casa: reevalúe y considere la derivación antes de que el paciente se vaya.',
    ),
    medicines({ hint: ['Discharge medicines', 'أدوية الخروج', 'Medicamentos al alta'] }),
    longText(
      'question',
      [
        'Request to the receiving clinician',
        'المطلوب من الطبيب المستقبِل',
        'Qué se solicita al profesional receptor',
      ],
      {
        showIf: when('destination', 'isNot', 'home'),
      },
    ),
    longText(
      'warning',
      ['Return immediately if', 'العودة فورًا عند', 'Signos de alarma: volver de inmediato si'],
      {
        showIf: when('destination', 'is', 'home'),
      },
    ),
    files('documents', ['Attached documents', 'وثائق مرفقة', 'Documentos adjuntos']),
    day(
      'seen_again',
      ['Follow-up at this clinic', 'المراجعة في هذه العيادة', 'Próximo control en esta clínica'],
      {
        days: 'future',
      },
    ),
  ],
)
