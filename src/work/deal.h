// SPDX-License-Identifier: Apache-2.0
// Which tile a worker gets next, and what becomes of one that it gives back: a schedule's decisions, without its
// threads and clock. The caller holds the lock, or has but one thread.
#ifndef WAVEWARP_DEAL_H
#define WAVEWARP_DEAL_H

#include "work/schedule.h"

typedef struct wwi_deal {
    const wwi_schedule *schedule;
    wwi_worker *workers;
    size_t count;
    size_t next;        // the first item that nobody has taken
    wwi_span *returned; // of lost workers: room for WWI_UNSETTLED + 1 of each
    size_t returned_count;
    size_t busy; // workers with a tile in hand, or tiles that are not settled
    double done;
    bool stop; // the job is at its end: `status`, `error`
    ww_status status;
    ww_error error; // of the last worker that was lost, too
} wwi_deal;

// SETTLE: the worker settles its tiles and says so. WAIT: others have tiles, which one of them may give back. Ask again
// when one has ended, has settled, or is lost.
typedef enum wwi_turn { WWI_TURN_TILE, WWI_TURN_SETTLE, WWI_TURN_WAIT, WWI_TURN_END } wwi_turn;

wwi_turn wwi_deal_take(wwi_deal *deal, const wwi_worker *worker, wwi_span *tile);
// The tile is done, or its worker lost it, and more by an error that every worker would find: then the job stops.
void wwi_deal_finish(wwi_deal *deal, wwi_worker *worker, wwi_span tile, ww_status status, double seconds);
// The worker's tiles are settled, or lost.
void wwi_deal_settle(wwi_deal *deal, wwi_worker *worker, ww_status status);
// The worker failed, with no tile in hand.
void wwi_deal_lose(wwi_deal *deal, wwi_worker *worker, ww_status status);
// Whether any item is left that is neither done nor in hand.
bool wwi_deal_left(const wwi_deal *deal);

#endif
