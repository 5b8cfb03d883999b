// SPDX-License-Identifier: Apache-2.0
// Plans on all devices of a context: each is created in its device's thread.
#include "jobs/plan.h"
#include "options.h"

static void close_team(wwi_team **team) {
    WWI_TEAM_CLOSE(ww_plan, wwi_taken(team), NULL);
}

static ww_status create_on(wwi_seat *seat) {
    const wwi_plan_creation *from = seat->of;
    ww_dataset *rows, *columns;
    ww_plan *made = NULL;
    WWI_TRY(wwi_dataset_on(from->rows, seat->device, &rows));
    WWI_TRY(wwi_dataset_on(from->columns, seat->device, &columns));
    const ww_status status = from->create(from, rows, columns, &from->options, &made);
    seat->own = made;
    return status;
}

ww_status wwi_plan_spread(wwi_plan_creation *from, const ww_plan_options *options, ww_plan **plan) {
    WWI_ENDS(close_team) wwi_team *team = NULL;
    WWI_NEEDS("plan", plan);
    *plan = NULL;
    ww_context *context = wwi_datasets_divide(from->rows, from->columns);
    if (!context)
        return from->create(from, from->rows, from->columns, options, plan);
    from->options = (ww_plan_options)WW_PLAN_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&from->options, options, "ww_plan_options"));
    WWI_TRY(wwi_team_open(context, from->options.run, &team));
    from->options.run = &team->own;
    WWI_TRY(wwi_team_make(team, create_on, from, 0, NULL));
    ww_plan *first = wwi_team_any(team);
    first->team = wwi_taken(&team);
    *plan = first;
    return WW_OK;
}
